"""What can be wrong with the store, in sentences for the person whose data it is."""


class StoreError(Exception):
    """The store cannot be used; the message says what that means and what to do."""


class NewerStoreError(StoreError):
    def __init__(self, found: int, known: int) -> None:
        super().__init__(
            f"Your data was written by a newer Dayhand (format {found}; this one knows up to {known}). "
            "Nothing was changed. Install the newer version again, or start with another data folder."
        )


class StaleError(StoreError):
    """A row was not where the caller thought; nothing was written."""
