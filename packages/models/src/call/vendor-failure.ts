import type { Fetch } from '@steward/contract'
import { z } from 'zod'

/** The original failure of a vendor call, before it is converted. */
export class VendorFailure extends Error {
  override readonly name = 'VendorFailure'
  /** The HTTP status; undefined if no response arrived. */
  readonly status: number | undefined
  readonly retryAfter: string | null
  /** The vendor's own error code and type, such as `overloaded_error`. */
  readonly kind: string | undefined

  constructor(
    message: string,
    answer: { status?: number; retryAfter?: string | null; kind?: string } = {},
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.status = answer.status
    this.retryAfter = answer.retryAfter ?? null
    this.kind = answer.kind
  }
}

const described = z.object({
  message: z.string(),
  type: z.string().nullish(),
  code: z.union([z.string(), z.number()]).nullish(),
  /** Google's name of the type. */
  status: z.string().nullish(),
})
const justText = z.string().transform((message) => ({ message }))

/**
 * Both vendors return an object with a message under `error`. Other servers put it at the top, send
 * a bare text, name it `detail`, or wrap all of it in a list.
 */
const errorBody = z.preprocess(
  (body) => (Array.isArray(body) ? body[0] : body),
  z.union([
    z.object({ error: z.union([justText, described]) }).transform(({ error }) => error),
    described,
    z.object({ detail: justText }).transform(({ detail }) => detail),
  ]),
)

const MESSAGE_CHARS = 500

/** A `fetch` that throws a `VendorFailure` for every unsuccessful response. */
export const failingFetch =
  (fetch: Fetch, redact: (text: string) => string): typeof globalThis.fetch =>
  async (input, init) => {
    const response = await send(fetch, input instanceof Request ? input.url : input, init)
    if (response.ok) return response
    const { message, kind } = readError(await response.text(), redact)
    throw new VendorFailure(message || response.statusText, {
      status: response.status,
      retryAfter: retryAfterIn(response.headers, message),
      ...(kind === undefined ? {} : { kind }),
    })
  }

/** The header, its variant in milliseconds, or "try again in 20s" in the message; in seconds or as a date. */
const retryAfterIn = (headers: Headers, message: string): string | null => {
  const milliseconds = Number(headers.get('retry-after-ms') ?? Number.NaN)
  if (milliseconds >= 0) return String(milliseconds / 1000)
  const header = headers.get('retry-after')
  if (header !== null) return header
  const [, minutes = '0', amount, unit] =
    /\b(?:try again|retry) in (?:(\d{1,6})m)?(\d{1,6}(?:\.\d{1,12})?)(ms|s)\b/i.exec(message) ?? []
  if (amount === undefined) return null
  return String(Number(minutes) * 60 + Number(amount) / (unit === 'ms' ? 1000 : 1))
}

/** Finds the `VendorFailure` inside the errors of the vendor library. */
export const findVendorFailure = (thrown: unknown): VendorFailure | undefined => {
  if (thrown instanceof VendorFailure) return thrown
  return thrown instanceof Error && thrown.cause !== undefined
    ? findVendorFailure(thrown.cause)
    : undefined
}

const send = async (fetch: Fetch, url: string | URL, init?: RequestInit): Promise<Response> => {
  try {
    return await fetch(url, init)
  } catch (error) {
    const reason = error instanceof Error ? describeCause(error) : String(error)
    throw new VendorFailure(`no connection: ${reason}`, {}, error)
  }
}

/** `fetch failed` is uninformative; its cause (`connect ECONNREFUSED 127.0.0.1:1`) is not. */
const describeCause = (error: Error): string =>
  error.cause instanceof Error ? describeCause(error.cause) : error.message || error.name

const readError = (
  body: string,
  redact: (text: string) => string,
): { message: string; kind?: string } => {
  const parsed = errorBody.safeParse(parseJson(body))
  if (!parsed.success) {
    return { message: redact(body).replace(/\s+/g, ' ').trim().slice(0, MESSAGE_CHARS) }
  }
  const { message, ...named }: z.infer<typeof described> = parsed.data
  const kinds = [named.code, named.type, named.status].filter((kind) => kind != null)
  return {
    message: redact(message).slice(0, MESSAGE_CHARS),
    ...(kinds.length === 0 ? {} : { kind: redact(kinds.join(' ')) }),
  }
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
