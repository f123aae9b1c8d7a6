/** Removes the key from a text, because vendors may repeat the request in an error. */
export const redactKey =
  (apiKey: string | undefined) =>
  (text: string): string =>
    apiKey === undefined ? text : text.replaceAll(apiKey, '[key]')
