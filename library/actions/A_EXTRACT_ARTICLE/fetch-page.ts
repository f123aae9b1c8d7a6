import { type Fetch, StewardError } from '@steward/contract'
import { checkPageResponse } from '../../lib/check-response.ts'

/** A page as text, with its final address, and whether it is HTML or plain. */
export interface FetchedPage {
  text: string
  url: string
  isHtml: boolean
}

/** Fetches a page in its declared encoding. Anything other than HTML or text is rejected. */
export const fetchPage = async (
  fetch: Fetch,
  url: string,
  signal: AbortSignal,
): Promise<FetchedPage> => {
  const response = await fetch(url, {
    signal,
    headers: { accept: 'text/html,application/xhtml+xml,text/plain;q=0.8,*/*;q=0.1' },
  })
  checkPageResponse(response, url)
  const type = response.headers.get('content-type') ?? ''
  if (type !== '' && !/^(text\/|application\/(xhtml\+xml|xml))/i.test(type)) {
    await response.body?.cancel()
    throw new StewardError('rejected_content', {
      subject: url,
      reason: `is ${type.split(';')[0]}, not a page of text`,
    })
  }
  const bytes = new Uint8Array(await response.arrayBuffer())
  const text = decode(bytes, type)
  return { text, url: response.url || url, isHtml: !/^text\/(plain|markdown)/i.test(type) }
}

const HEAD_BYTES = 2048

const decode = (bytes: Uint8Array, type: string): string => {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, HEAD_BYTES))
  const charset =
    /charset="?([\w-]+)/i.exec(type)?.[1] ?? /<meta[^>]+charset=["']?([\w-]+)/i.exec(head)?.[1]
  return decoderFor(charset ?? 'utf-8').decode(bytes)
}

const decoderFor = (charset: string): TextDecoder => {
  try {
    return new TextDecoder(charset)
  } catch {
    // A page with an unknown encoding is nearly always UTF-8.
    return new TextDecoder()
  }
}
