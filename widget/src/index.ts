// <script src="https://ask.example.edu/widget.js" data-site="main" async></script>
import { define } from "./define";

// A module script is not told which element it came from.
define((document.currentScript ?? document.querySelector('script[src*="/widget.js"]')) as HTMLScriptElement | null);
