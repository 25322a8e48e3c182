/** What every outside system takes for a name: small letters, digits, single dashes. */
export const plainName = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
