"""A folder for each service that comes with the app, and beside them what several of them stand on."""
