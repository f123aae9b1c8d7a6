import { DEFAULT_RULES } from './default-policy.ts'
import { renderPolicy } from './render-policy.ts'

/** The built-in policy as YAML, as a person would write it. */
export const DEFAULT_POLICY: string = renderPolicy(DEFAULT_RULES)
