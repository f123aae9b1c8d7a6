import { type Settings, settings } from '@steward/contract'

// The build replaces this function by its return value, because building the schema takes longer
// than everything else in most commands.

/** The settings without a `settings.json`. */
export const readDefaultSettings = (): Settings => settings.parse({}, { jitless: true })
