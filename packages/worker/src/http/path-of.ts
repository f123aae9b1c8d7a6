/**
 * The path of a request. Nearly all requests are for `/`, which is detected without parsing; a
 * backslash may mean a slash, so the parser handles that.
 */
export const pathOf = (url: string): string =>
  url.indexOf('/', url.indexOf('://') + 3) === url.length - 1 && !url.includes('\\')
    ? '/'
    : new URL(url).pathname
