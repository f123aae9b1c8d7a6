import { HOSTED_API } from '@steward/contract'
import { toInvalid } from '../api/parse-input.ts'
import { invalid } from '../api/refusal.ts'
import { UNKNOWN_TYPE } from './mime-type.ts'

export interface Upload {
  filename: string
  mimeType: string
  bytes: Uint8Array
  expiresInSeconds: number | undefined
}

const MIME_TYPE = /^[\w.+-]{1,64}\/[\w.+-]{1,128}$/
const LONGEST_NAME = 255

/** The file of a multipart form and its other fields. */
export const readUpload = async (
  bytes: Uint8Array<ArrayBuffer>,
  contentType: string | undefined,
): Promise<Upload> => {
  if (contentType === undefined || !/^multipart\/form-data\b/i.test(contentType))
    throw invalid('the body', 'send a multipart form with the field `file`')
  const form = await readForm(bytes, contentType)
  const file = form.get('file')
  if (file === null || typeof file === 'string')
    throw invalid('file', 'the form has no file in the field `file`')
  const fields = HOSTED_API.uploadFile.form.safeParse({
    expires_in_seconds: form.get('expires_in_seconds') ?? undefined,
  })
  if (!fields.success) throw toInvalid('the form', fields.error)
  const [mimeType = ''] = file.type.split(';', 1)
  return {
    filename: nameOf(file.name),
    mimeType: MIME_TYPE.test(mimeType) ? mimeType.toLowerCase() : UNKNOWN_TYPE,
    bytes: new Uint8Array(await file.arrayBuffer()),
    expiresInSeconds: fields.data.expires_in_seconds,
  }
}

const readForm = async (bytes: Uint8Array<ArrayBuffer>, type: string): Promise<FormData> => {
  try {
    return await new Response(bytes, { headers: { 'content-type': type } }).formData()
  } catch {
    throw invalid('the body', 'it is not a complete multipart form')
  }
}

/** The last part of a path, without characters that file names cannot contain. */
const nameOf = (given: string): string => {
  const last = given.split(/[/\\]/).at(-1) ?? ''
  const name = last.replace(/\p{Cc}/gu, '').slice(0, LONGEST_NAME)
  if (name === '' || name === '.' || name === '..') throw invalid('file', 'it has no name')
  return name
}
