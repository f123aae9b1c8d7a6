import { DEFAULT_RULES } from './default-policy.ts'
import { renderPolicy } from './render-policy.ts'

/** The built-in policy as the file that a person would write. */
export const DEFAULT_POLICY: string = renderPolicy(DEFAULT_RULES)
