/** The text of an icon's file. */
declare module '*.svg' {
  const text: string;
  export default text;
}

/** Styles are bundled into `webview.css`, and export nothing. */
declare module '*.css';
