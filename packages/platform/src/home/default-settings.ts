import { type Settings, settings } from '@steward/contract'

// The build of the program replaces this function by what it returns, because building the schema takes
// longer than all else that most commands do.

/** The settings where there is no `settings.json`. */
export const readDefaultSettings = (): Settings => settings.parse({}, { jitless: true })
