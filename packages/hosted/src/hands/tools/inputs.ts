import { z } from 'zod'

const path = z
  .string()
  .min(1)
  .max(4096)
  .refine((text) => !text.includes('\0'), 'contains a NUL character')
const pattern = z
  .string()
  .min(1)
  .max(10_000)
  .refine((text) => !text.includes('\0'), 'contains a NUL character')

/** The input of each tool. */
export const bashInput = z.object({
  command: z
    .string()
    .max(1_000_000)
    .refine((text) => !text.includes('\0'), 'contains a NUL character')
    .optional(),
  restart: z.boolean().optional(),
  timeout_ms: z.number().int().positive().optional(),
})
export const readInput = z.object({
  file_path: path,
  view_range: z.tuple([z.number().int().min(1), z.number().int()]).optional(),
})
export const writeInput = z.object({ file_path: path, content: z.string() })
export const editInput = z.object({
  file_path: path,
  old_string: z.string().min(1),
  new_string: z.string(),
  replace_all: z.boolean().optional(),
})
export const globInput = z.object({ pattern, path: path.optional() })
export const grepInput = z.object({ pattern, path: path.optional() })
