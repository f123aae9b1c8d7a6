import { z } from 'zod'
import { HOSTED_LIMITS } from './hosted-limits.ts'
import { hostedId, instant } from './instant.ts'
import { SESSION_FOLDERS } from './resource.ts'

/** The folder of a skill inside a session's sandbox. */
export const skillPath = (name: string): string => `${SESSION_FOLDERS.workspace}/skills/${name}`

/** A folder with instructions that agents load on demand; clients before 0.137 use other names. */
export const hostedSkill = z
  .object({
    id: hostedId,
    type: z.literal('skill'),
    display_name: z.string(),
    latest_version_id: hostedId,
    source: z.object({ type: z.enum(['custom', 'anthropic', 'anthropic_example', 'plugin']) }),
    created_at: instant,
    updated_at: instant,
    /** `display_name` and `latest_version_id` for clients before 0.137. */
    display_title: z.string(),
    latest_version: hostedId,
  })
  .meta({ id: 'HostedSkill' })
export type HostedSkill = z.infer<typeof hostedSkill>

/** One upload of a skill; it never changes. */
export const hostedSkillVersion = z
  .object({
    id: hostedId,
    type: z.literal('skill_version'),
    skill_id: hostedId,
    /** Also the folder of its files. */
    name: z.string(),
    description: z.string(),
    created_at: instant,
    /** `id` and `name` for clients before 0.137. */
    version: hostedId,
    directory: z.string(),
  })
  .meta({ id: 'HostedSkillVersion' })
export type HostedSkillVersion = z.infer<typeof hostedSkillVersion>

/** Fields of the form of `POST /v1/skills` in addition to its files. */
export const createSkillForm = z.object({
  display_name: z
    .string()
    .min(1)
    .max(HOSTED_LIMITS.skillDisplayNameCharacters)
    .regex(/^\P{Cc}+$/u, 'a single line')
    .optional(),
})

export const skillDeleted = z.object({ id: hostedId, type: z.literal('skill_deleted') })
export const skillVersionDeleted = z.object({
  id: hostedId,
  type: z.literal('skill_version_deleted'),
})
