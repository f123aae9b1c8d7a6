import { parseJson, StewardError } from '@steward/contract'
import { checkNesting } from './check-nesting.ts'
import { invalid } from './refusal.ts'

/** The bytes of a body, given up on as soon as they are too many, whatever was announced. */
export const readBytes = async (request: Request, limit: number): Promise<Uint8Array> => {
  const announced = request.headers.get('content-length')
  if (announced !== null) {
    if (Number(announced) > limit) throw tooLarge(Number(announced), limit)
    return new Uint8Array(await request.arrayBuffer().catch(refuseCutOff))
  }
  const reader = request.body?.getReader()
  if (reader === undefined) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { done, value } = await reader.read().catch(refuseCutOff)
    if (done) return new Uint8Array(Buffer.concat(chunks))
    size += value.length
    if (size > limit) {
      await reader.cancel()
      throw tooLarge(size, limit)
    }
    chunks.push(value)
  }
}

/** A JSON body; one that is empty is an empty object, as calls without parameters send it. */
export const readJson = (bytes: Uint8Array): unknown => {
  if (bytes.length === 0) return {}
  checkNesting(bytes)
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalid('the body', 'it is not UTF-8')
  }
  const parsed = parseJson(text, 'the body')
  if (parsed.ok) return parsed.value
  throw parsed.error
}

const refuseCutOff = (): never => {
  throw invalid('the body', 'it was cut off')
}

const tooLarge = (bytes: number, limit: number): StewardError =>
  new StewardError('payload_too_large', { subject: 'the body', bytes, limit })
