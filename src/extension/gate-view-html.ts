import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';

/** The Gate view's page: one script, one style sheet, nothing inline and nothing from elsewhere. */
export function gateViewHtml(webview: vscode.Webview, dist: vscode.Uri): string {
  const nonce = randomBytes(16).toString('base64url');
  const file = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(dist, name)).toString();
  const policy = ["default-src 'none'", `script-src 'nonce-${nonce}'`, `style-src ${webview.cspSource}`].join(
    '; ',
  );
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1.0">
<link rel="stylesheet" href="${file('webview.css')}">
<title>Gate</title>
</head>
<body>
<script nonce="${nonce}" src="${file('webview.js')}"></script>
</body>
</html>`;
}
