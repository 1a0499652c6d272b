// <script src="https://ask.example.edu/widget.js" data-site="main" async></script>
import { define } from "./define";

define(document.currentScript as HTMLScriptElement | null);
