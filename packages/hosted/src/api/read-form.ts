import { invalid } from './refusal.ts'

/** A multipart form; `wanted` describes it in the refusal of other bodies. */
export const readForm = async (
  bytes: Uint8Array<ArrayBuffer>,
  contentType: string | undefined,
  wanted: string,
): Promise<FormData> => {
  if (contentType === undefined || !/^multipart\/form-data\b/i.test(contentType))
    throw invalid('the body', `send a multipart form with ${wanted}`)
  try {
    return await new Response(bytes, { headers: { 'content-type': contentType } }).formData()
  } catch {
    throw invalid('the body', 'it is not a complete multipart form')
  }
}
