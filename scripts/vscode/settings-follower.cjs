// Runs inside the extension host of a window that is photographed, where a test suite would run, until the window closes: makes the
// user's settings what a file says. In a browser VS Code keeps them where nobody outside can write.
const { readFileSync } = require('node:fs');
const vscode = require('vscode');

exports.run = () =>
  new Promise((_, reject) => {
    let known = '';
    const look = async () => {
      const text = readFileSync(process.env.DISCERN_SETTINGS_FILE, 'utf8');
      if (text === known) return;
      known = text;
      for (const [name, value] of Object.entries(JSON.parse(text))) {
        const configuration = vscode.workspace.getConfiguration();
        // Another version of VS Code may not have it.
        if (configuration.inspect(name)?.defaultValue !== undefined)
          await configuration.update(name, value, vscode.ConfigurationTarget.Global);
      }
    };
    setInterval(() => look().catch(reject), 200);
  });
