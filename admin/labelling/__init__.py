"""What visitors asked, labelled: is it worth keeping as a golden question?"""
