/** A standard response that knows where it came from, which a constructed one does not. */
export class FetchedResponse extends Response {
  readonly #url: string
  readonly #redirected: boolean

  constructor(
    body: BodyInit | null,
    init: ResponseInit,
    source: { url: string; redirected: boolean },
  ) {
    super(body, init)
    this.#url = source.url
    this.#redirected = source.redirected
  }

  override get url(): string {
    return this.#url
  }

  override get redirected(): boolean {
    return this.#redirected
  }

  override clone(): Response {
    const copy = super.clone()
    const { status, statusText, headers } = copy
    return new FetchedResponse(copy.body, { status, statusText, headers }, this)
  }
}
