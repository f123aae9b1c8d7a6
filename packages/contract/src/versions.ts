/** Spec 1, Versioning: the platform version, and the generation marker of the action runtime. */
export const PLATFORM_VERSION = '5.0.0'
export const ACTION_RUNTIME_GENERATION = 'v2'
