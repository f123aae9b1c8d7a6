import { z } from 'zod'

export const PERMISSION_POLICIES = ['always_allow', 'always_ask', 'auto'] as const
export type PermissionPolicyType = (typeof PERMISSION_POLICIES)[number]

/** Whether a tool call runs immediately, waits for a person, or is evaluated per call. */
export const permissionPolicy = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('always_allow') }),
    z.strictObject({ type: z.literal('always_ask') }),
    z.strictObject({ type: z.literal('auto') }),
  ])
  .meta({ id: 'PermissionPolicy' })
export type PermissionPolicy = z.infer<typeof permissionPolicy>

/** A setting in requests: omitted or null inherits from the level above. */
export const toolSettingGiven = {
  enabled: z.boolean().nullish(),
  permission_policy: permissionPolicy.nullish(),
}
/** A setting in answers: fully resolved. */
export const toolSetting = z.object({ enabled: z.boolean(), permission_policy: permissionPolicy })
export type ToolSetting = z.infer<typeof toolSetting>

export interface ToolSettingGiven {
  enabled?: boolean | null | undefined
  permission_policy?: PermissionPolicy | null | undefined
}

/** The given values, falling back to `otherwise`. */
export const resolveSetting = (
  given: ToolSettingGiven | null | undefined,
  otherwise: ToolSetting,
): ToolSetting => ({
  enabled: given?.enabled ?? otherwise.enabled,
  permission_policy: given?.permission_policy ?? otherwise.permission_policy,
})
