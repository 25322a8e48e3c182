import './gate.css';
import { App } from './app/app.ts';
import { Gate } from './gate.ts';
import { isInVsCode, VsCodeHost } from './host.ts';

if (isInVsCode()) {
  const gate = new Gate(new VsCodeHost());
  document.body.append(gate.element);
  gate.start();
} else new App(document.body).start();
