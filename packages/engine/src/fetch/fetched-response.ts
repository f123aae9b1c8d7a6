export interface Source {
  url: string
  redirected: boolean
}

/**
 * A standard response that knows its URL, which a constructed one does not. Not a subclass:
 * extending `Response` makes Node load all of its fetch, which takes longer than its start.
 */
export const createFetchedResponse = (
  body: BodyInit | null,
  init: ResponseInit,
  { url, redirected }: Source,
): Response => {
  const response = new Response(body, init)
  const clone = (): Response => {
    const copy = Response.prototype.clone.call(response)
    const { status, statusText, headers } = copy
    return createFetchedResponse(copy.body, { status, statusText, headers }, { url, redirected })
  }
  return Object.defineProperties(response, {
    url: { value: url },
    redirected: { value: redirected },
    clone: { value: clone },
  })
}
