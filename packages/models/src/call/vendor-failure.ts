import type { Fetch } from '@steward/contract'
import { z } from 'zod'

/** The original failure of a vendor call, before it is converted. */
export class VendorFailure extends Error {
  override readonly name = 'VendorFailure'
  /** The HTTP status; undefined if no response arrived. */
  readonly status: number | undefined
  readonly retryAfter: string | null
  /** The vendor's own error type or code, such as `overloaded_error`. */
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

/** Both vendors return an object with a message under `error`; some servers a bare string. */
const errorBody = z.object({
  error: z.union([
    z.string().transform((message) => ({ message, type: undefined, code: undefined })),
    z.object({
      message: z.string(),
      type: z.string().nullish(),
      code: z.union([z.string(), z.number()]).nullish(),
    }),
  ]),
})

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
      retryAfter: response.headers.get('retry-after'),
      ...(kind === undefined ? {} : { kind }),
    })
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
  const { message, type, code } = parsed.data.error
  const kind = code ?? type
  return {
    message: redact(message).slice(0, MESSAGE_CHARS),
    ...(kind == null ? {} : { kind: redact(String(kind)) }),
  }
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
