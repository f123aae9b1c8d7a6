/** Removes the key from a text, because vendors may repeat the request in an error. */
export const redactKey =
  (apiKey: string | undefined, redactRest: (text: string) => string = (text) => text) =>
  (text: string): string =>
    redactRest(apiKey === undefined ? text : text.replaceAll(apiKey, '[key]'))
