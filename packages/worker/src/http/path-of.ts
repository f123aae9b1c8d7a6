/**
 * The path of a request's address. Nearly all that a worker is asked is `/`, which can be seen without
 * taking the address apart; a backslash may stand for a slash, so that is left to the parser.
 */
export const pathOf = (url: string): string =>
  url.indexOf('/', url.indexOf('://') + 3) === url.length - 1 && !url.includes('\\')
    ? '/'
    : new URL(url).pathname
