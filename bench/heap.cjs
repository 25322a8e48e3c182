// Loaded before a server that is measured, with --expose-gc: collects what is garbage when asked, and says what is left.
process.on('message', () => {
  global.gc();
  process.send(process.memoryUsage());
});
// The server itself knows nothing of this channel, and may end whenever it wants to.
process.channel.unref();
