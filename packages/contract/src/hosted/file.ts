import { z } from 'zod'
import { hostedId, instant } from './instant.ts'

/** An uploaded file, or one that an agent produced. */
export const hostedFile = z
  .object({
    id: hostedId,
    type: z.literal('file'),
    filename: z.string(),
    mime_type: z.string(),
    size_bytes: z.number().int().nonnegative(),
    created_at: instant,
    downloadable: z.boolean(),
    expires_at: instant.nullable(),
    /** The session that produced it. */
    scope: z.object({ type: z.literal('session'), id: hostedId }).nullable(),
  })
  .meta({ id: 'HostedFile' })
export type HostedFile = z.infer<typeof hostedFile>

export const fileDeleted = z.object({ id: hostedId, type: z.literal('file_deleted') })
