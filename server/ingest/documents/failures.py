"""Why a document could not be read."""

from server.errors import LodgeError

WHY = {
    "encrypted": "The document is locked with a password.",
    "damaged": "The document is damaged.",
    "empty": "The document has no pages.",
    "scanned": "Its pages are pictures of text; they are read where tesseract is installed.",
    "empty_feed": "The feed has no items.",
    "no_events": "The calendar has no event of this time.",
    "comments": "The feed has what visitors commented, not what the site says.",
    "too_slow": "The document could not be read in the time that one may take.",
    "too_large": "The document needs more memory than one may take.",
}


class UnreadableDocumentError(LodgeError):
    """A document without text for us; `reason` is a key of `WHY`, and the reason of its `Drop`."""

    def __init__(self, reason: str) -> None:
        super().__init__(WHY[reason])
        self.reason = reason
