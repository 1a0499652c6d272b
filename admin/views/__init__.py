"""The console's pages; Streamlit runs each as a script."""
