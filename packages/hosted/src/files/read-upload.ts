import { HOSTED_API } from '@steward/contract'
import { toInvalid } from '../api/parse-input.ts'
import { readForm } from '../api/read-form.ts'
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
  const form = await readForm(bytes, contentType, 'the field `file`')
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

/** The last part of a path, without characters that file names cannot contain. */
const nameOf = (given: string): string => {
  const last = given.split(/[/\\]/).at(-1) ?? ''
  const name = last.replace(/\p{Cc}/gu, '').slice(0, LONGEST_NAME)
  if (name === '' || name === '.' || name === '..') throw invalid('file', 'it has no name')
  return name
}
