/** Something in the way of serving at all: the process ends with 2 and says this, before or instead of a socket. */
export class Unusable extends Error {
  override readonly name = 'Unusable';
}
