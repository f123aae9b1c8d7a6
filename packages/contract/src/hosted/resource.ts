import { z } from 'zod'
import { HOSTED_LIMITS } from './hosted-limits.ts'
import { hostedId, instant } from './instant.ts'

/** Folders of a session inside its sandbox, which the session can write to. */
export const SESSION_FOLDERS = {
  workspace: '/workspace',
  outputs: '/mnt/session/outputs',
  uploads: '/mnt/session/uploads',
  home: '/home/agent',
  tmp: '/tmp',
}

/** The system's own folders, and those a sandbox is made of. */
const RESERVED =
  '/bin /boot /dev /etc /lib /lib32 /lib64 /libx32 /opt/packages /proc /run /sbin /sys /usr'.split(
    ' ',
  )

/** Why nothing can be mounted at a path inside a sandbox; undefined when it can. */
export const findMountRefusal = (path: string): string | undefined => {
  if (!path.startsWith('/') || path.includes('\0') || /(^|\/)\.{0,2}(\/|$)/.test(path.slice(1))) {
    return `${path} is not an absolute path without empty, . and .. parts`
  }
  const reserved = RESERVED.find((root) => isAt(path, root))
  if (reserved !== undefined) return `${reserved} belongs to the sandbox itself`
  const covered = Object.values(SESSION_FOLDERS).find((root) => isAt(root, path))
  return covered === undefined ? undefined : `it would cover ${covered}`
}

const isAt = (path: string, root: string): boolean => path === root || path.startsWith(`${root}/`)

/** A relative path is below the folder where resources of this type are mounted by default. */
export const resolveMountPath = (type: 'file' | 'github_repository', path: string): string => {
  if (path.startsWith('/')) return path
  return `${type === 'file' ? SESSION_FOLDERS.uploads : SESSION_FOLDERS.workspace}/${path}`
}

const mountPath = (type: 'file' | 'github_repository') =>
  z
    .string()
    .max(1024)
    .superRefine((path, context) => {
      const message = findMountRefusal(resolveMountPath(type, path))
      if (message !== undefined) context.addIssue({ code: 'custom', message })
    })

export const repositoryCheckout = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('branch'),
    name: z
      .string()
      .max(255)
      .regex(/^[^\s-]\S*$/, 'a branch name'),
  }),
  z.strictObject({
    type: z.literal('commit'),
    sha: z.string().regex(/^[0-9a-fA-F]{7,64}$/, 'a commit hash'),
  }),
])

export const fileResourceGiven = z.strictObject({
  type: z.literal('file'),
  file_id: hostedId,
  mount_path: mountPath('file').nullish(),
})
export const repositoryResourceGiven = z.strictObject({
  type: z.literal('github_repository'),
  url: z.url({ protocol: /^https?$/ }).max(2048),
  authorization_token: z.string().min(1).max(4096).optional(),
  checkout: repositoryCheckout.nullish(),
  mount_path: mountPath('github_repository').nullish(),
})
export const memoryResourceGiven = z.strictObject({
  type: z.literal('memory_store'),
  memory_store_id: hostedId,
  access: z.enum(['read_write', 'read_only']).nullish(),
  instructions: z.string().max(HOSTED_LIMITS.resourceInstructionsCharacters).nullish(),
})
/** A resource that is mounted into the sandbox before the first call. */
export const resourceGiven = z.discriminatedUnion('type', [
  fileResourceGiven,
  repositoryResourceGiven,
  memoryResourceGiven,
])
export type ResourceGiven = z.infer<typeof resourceGiven>

const kept = { id: hostedId, mount_path: z.string(), created_at: instant, updated_at: instant }

/** A resource in answers; a repository's token is never returned. */
export const sessionResource = z.discriminatedUnion('type', [
  z.object({ ...kept, type: z.literal('file'), file_id: hostedId }),
  z.object({
    ...kept,
    type: z.literal('github_repository'),
    url: z.string(),
    checkout: repositoryCheckout.nullish(),
  }),
  z.object({
    ...kept,
    type: z.literal('memory_store'),
    memory_store_id: hostedId,
    access: z.enum(['read_write', 'read_only']),
    instructions: z.string().nullable(),
    /** As they were when the session was created. */
    name: z.string(),
    description: z.string(),
  }),
])
export type SessionResource = z.infer<typeof sessionResource>

/** Body of `POST /v1/sessions/{id}/resources/{resource}`. */
export const updateResourceBody = z.strictObject({
  authorization_token: z.string().min(1).max(4096),
})
export const resourceDeleted = z.object({
  id: hostedId,
  type: z.literal('session_resource_deleted'),
})
