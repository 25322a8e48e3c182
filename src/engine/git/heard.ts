import { AsyncLocalStorage } from 'node:async_hooks';

/** The signal of the call that is being answered, for each git of it that is given none. */
const heard = new AsyncLocalStorage<AbortSignal | undefined>();

export const heardSignal = (): AbortSignal | undefined => heard.getStore();

/** Acts so that every git hears `signal`. For what leaves nothing half done when it is ended at any git. */
export const hearing = <Value>(signal: AbortSignal, act: () => Promise<Value>): Promise<Value> =>
  heard.run(signal, act);

/** Acts so that its gits go on though the call was cancelled: taking back must not be cut off by what made it needed. */
export const goingOn = <Value>(act: () => Promise<Value>): Promise<Value> => heard.run(undefined, act);
