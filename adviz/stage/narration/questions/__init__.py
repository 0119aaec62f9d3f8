"""Questions of shows, with their answers and the mistakes behind wrong ones."""
