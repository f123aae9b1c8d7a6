import { z } from 'zod'
import { HOSTED_LIMITS } from './hosted-limits.ts'
import { hostedId, instant } from './instant.ts'
import { hostedMetadata, metadataPatch } from './metadata.ts'

const SINGLE_LINE = /^\P{Cc}+$/u

/** A container of memories that outlives sessions. */
export const memoryStore = z
  .object({
    id: hostedId,
    type: z.literal('memory_store'),
    name: z.string(),
    description: z.string(),
    metadata: hostedMetadata,
    created_at: instant,
    updated_at: instant,
    archived_at: instant.nullable(),
  })
  .meta({ id: 'MemoryStore' })
export type MemoryStore = z.infer<typeof memoryStore>

const storeName = z
  .string()
  .min(1)
  .max(HOSTED_LIMITS.memoryStoreNameCharacters)
  .regex(SINGLE_LINE, 'without control characters')
const storeDescription = z.string().max(HOSTED_LIMITS.memoryStoreDescriptionCharacters)

/** Body of `POST /v1/memory_stores`. */
export const createMemoryStoreBody = z.strictObject({
  name: storeName,
  description: storeDescription.nullish(),
  metadata: hostedMetadata.nullish(),
})
/** Body of `POST /v1/memory_stores/{id}`; null keeps the name, as it cannot be cleared. */
export const updateMemoryStoreBody = z.strictObject({
  name: storeName.nullish(),
  description: storeDescription.nullish(),
  metadata: metadataPatch.nullish(),
})
export const memoryStoreDeleted = z.object({
  id: hostedId,
  type: z.literal('memory_store_deleted'),
})

/** Why a memory cannot be at a path; undefined when it can. */
export const findMemoryPathFault = (path: string): string | undefined => {
  const segments = path.split('/').slice(1)
  if (!path.startsWith('/')) return 'a path starts with /'
  if (segments.length > HOSTED_LIMITS.memoryPathSegments)
    return `a path has at most ${HOSTED_LIMITS.memoryPathSegments} segments`
  if (segments.some((part) => part === '' || part === '.' || part === '..'))
    return 'a segment cannot be empty, . or ..'
  if (/[\p{Cc}\p{Cf}\u2028\u2029]/u.test(path))
    return 'a path has no control or format characters and no line separators'
  if (path.normalize('NFC') !== path) return 'a path is in Unicode Normalization Form C'
  if (new TextEncoder().encode(path).length > HOSTED_LIMITS.memoryPathBytes)
    return `a path has at most ${HOSTED_LIMITS.memoryPathBytes} bytes`
  return undefined
}

const memoryPath = z.string().superRefine((path, context) => {
  const message = findMemoryPathFault(path)
  if (message !== undefined) context.addIssue({ code: 'custom', message })
})
/** Why a text cannot be a memory; undefined when it can. */
export const findMemoryContentFault = (text: string): string | undefined => {
  if (text.includes('\0') || !text.isWellFormed()) return 'it is not text without NUL characters'
  return new TextEncoder().encode(text).length > HOSTED_LIMITS.memoryBytes
    ? `it has more than ${HOSTED_LIMITS.memoryBytes} bytes`
    : undefined
}

const memoryContent = z.string().superRefine((text, context) => {
  const message = findMemoryContentFault(text)
  if (message !== undefined) context.addIssue({ code: 'custom', message })
})
/** A SHA-256 in lowercase hexadecimal. */
export const contentHash = z.string().regex(/^[0-9a-f]{64}$/, '64 lowercase hexadecimal digits')

/** A text at a path of a store. */
export const memory = z
  .object({
    id: hostedId,
    type: z.literal('memory'),
    memory_store_id: hostedId,
    memory_version_id: hostedId,
    path: z.string(),
    /** Null unless the view is `full`. */
    content: z.string().nullable(),
    content_sha256: z.string(),
    content_size_bytes: z.number().int().nonnegative(),
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'Memory' })
export type Memory = z.infer<typeof memory>

/** Stands for the memories below a folder. */
export const memoryPrefix = z.object({ type: z.literal('memory_prefix'), path: z.string() })
export const memoryListItem = z.discriminatedUnion('type', [memory, memoryPrefix])
export type MemoryListItem = z.infer<typeof memoryListItem>

/** Body of `POST /v1/memory_stores/{id}/memories`. */
export const createMemoryBody = z.strictObject({
  path: memoryPath,
  content: memoryContent.nullable(),
})
/** Body of `POST /v1/memory_stores/{id}/memories/{memory}`. */
export const updateMemoryBody = z.strictObject({
  path: memoryPath.nullish(),
  content: memoryContent.nullish(),
  precondition: z
    .strictObject({ type: z.literal('content_sha256'), content_sha256: contentHash.optional() })
    .optional(),
})
export const memoryDeleted = z.object({ id: hostedId, type: z.literal('memory_deleted') })

/** Who changed a memory. */
export const memoryActor = z.discriminatedUnion('type', [
  z.object({ type: z.literal('session_actor'), session_id: hostedId }),
  z.object({ type: z.literal('api_actor'), api_key_id: hostedId }),
])
export type MemoryActor = z.infer<typeof memoryActor>

export const MEMORY_OPERATIONS = ['created', 'modified', 'deleted'] as const

/** One change of a memory; only redaction alters it. */
export const memoryVersion = z
  .object({
    id: hostedId,
    type: z.literal('memory_version'),
    memory_store_id: hostedId,
    memory_id: hostedId,
    operation: z.enum(MEMORY_OPERATIONS),
    path: z.string().nullable(),
    content: z.string().nullable(),
    content_sha256: z.string().nullable(),
    content_size_bytes: z.number().int().nonnegative().nullable(),
    created_at: instant,
    created_by: memoryActor,
    redacted_at: instant.nullable(),
    /** Absent until the version is redacted. */
    redacted_by: memoryActor.optional(),
  })
  .meta({ id: 'MemoryVersion' })
export type MemoryVersion = z.infer<typeof memoryVersion>
