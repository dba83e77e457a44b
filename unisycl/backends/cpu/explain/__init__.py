"""What became of a kernel on the native CPU, in words and in the lines that users wrote."""
