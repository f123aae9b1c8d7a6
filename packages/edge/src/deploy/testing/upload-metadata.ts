import { z } from 'zod'

/** The part of an upload that describes the modules' bindings. */
export const uploadMetadata = z.looseObject({
  main_module: z.string(),
  compatibility_date: z.string(),
  compatibility_flags: z.array(z.string()).default([]),
  bindings: z
    .array(
      z.looseObject({
        type: z.string(),
        name: z.string(),
        service: z.string().optional(),
        namespace_id: z.string().optional(),
        id: z.string().optional(),
        queue_name: z.string().optional(),
        bucket_name: z.string().optional(),
      }),
    )
    .default([]),
  keep_bindings: z.array(z.string()).optional(),
  annotations: z.record(z.string(), z.string()).optional(),
})
export type UploadMetadata = z.infer<typeof uploadMetadata>
