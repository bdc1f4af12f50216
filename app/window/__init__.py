"""The main window and a folder for each page. Pages show data and send commands; rules live in the scheduler."""
