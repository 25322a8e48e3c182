import './gate.css';
import { Gate } from './gate.ts';
import { Host } from './host.ts';

const gate = new Gate(new Host());
document.body.append(gate.element);
gate.start();
