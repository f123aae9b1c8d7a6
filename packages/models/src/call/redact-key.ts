/** Takes the key out of a text. Vendors like to repeat in an error what they were sent. */
export const redactKey =
  (apiKey: string | undefined) =>
  (text: string): string =>
    apiKey === undefined ? text : text.replaceAll(apiKey, '[key]')
