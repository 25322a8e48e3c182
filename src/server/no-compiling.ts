import { config } from 'zod/v4/core';

/*
 * Imported before the SDK. zod would compile a validator for each kind of message at its first use, which takes longer than
 * interpreting the schema does for all the messages a server gets while a host waits for it to start.
 */
config({ jitless: true });
