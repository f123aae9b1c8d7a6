import { openSteward, type Steward } from '@steward/local'
import type { Io } from '../io.ts'
import { findInstallation } from './installation.ts'

/** Opens the local Steward for as long as `use` takes. */
export const withSteward = async <Value>(
  io: Io,
  use: (steward: Steward) => Promise<Value>,
): Promise<Value> => {
  const steward = await openSteward({
    env: io.env,
    homedir: io.homedir,
    builtIn: findInstallation().library,
  })
  try {
    return await use(steward)
  } finally {
    await steward.close()
  }
}
