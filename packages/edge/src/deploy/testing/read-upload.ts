import type { PlatformState } from './platform-state.ts'
import { type UploadMetadata, uploadMetadata } from './upload-metadata.ts'

export interface Upload {
  metadata: UploadMetadata
  modules: Record<string, string>
}

export interface Refusal {
  status: number
  code: number
  message: string
}

/** Parses a multipart upload and refuses what the platform would refuse. */
export const readUpload = async (
  body: Uint8Array<ArrayBuffer>,
  contentType: string,
  state: PlatformState,
): Promise<Upload | Refusal> => {
  const form = await new Response(body, { headers: { 'content-type': contentType } }).formData()
  const text = form.get('metadata')
  if (text === null) return refuse(10021, 'metadata part is missing')
  const parsed = uploadMetadata.safeParse(
    JSON.parse(typeof text === 'string' ? text : await text.text()),
  )
  if (!parsed.success) return refuse(10021, parsed.error.message)
  const modules: Record<string, string> = {}
  for (const [name, part] of form) {
    if (name !== 'metadata') modules[name] = typeof part === 'string' ? part : await part.text()
  }
  if (modules[parsed.data.main_module] === undefined) {
    return refuse(10021, `No such module "${parsed.data.main_module}"`)
  }
  return refuseBindings(parsed.data, state) ?? { metadata: parsed.data, modules }
}

const refuseBindings = (
  { bindings }: UploadMetadata,
  { scripts, kv, d1, r2, queues }: PlatformState,
): Refusal | undefined => {
  for (const binding of bindings) {
    const { type, name, service, namespace_id: namespace, id } = binding
    const { queue_name: queue, bucket_name: bucket } = binding
    if (type === 'service' && !scripts.has(service ?? '')) {
      return refuse(
        10143,
        `Could not resolve service binding '${name}'. Target script '${service}' not found.`,
      )
    }
    if (type === 'kv_namespace' && !kv.has(namespace ?? '')) {
      return refuse(10041, `KV namespace '${namespace}' not found.`)
    }
    if (type === 'd1' && !d1.has(id ?? '')) {
      return refuse(10181, `D1 binding '${name}' references database '${id}' which was not found.`)
    }
    if (type === 'r2_bucket' && !r2.has(bucket ?? '')) {
      return refuse(10085, `R2 bucket '${bucket}' not found.`)
    }
    if (type === 'queue' && !queues.has(queue ?? '')) {
      return refuse(11000, `Queue '${queue}' does not exist.`)
    }
  }
  return undefined
}

const refuse = (code: number, message: string): Refusal => ({ status: 400, code, message })
