/**
 * Installs the sandbox for shell commands if it is missing and may be installed. Never fails the
 * caller.
 */
import { ensureSandbox } from '@steward/platform'

export { ensureSandbox }

if (import.meta.main) {
  const sandbox = await ensureSandbox()
  console.error(sandbox.ok ? `sandbox: ${sandbox.value.isolation}` : sandbox.error.message)
}
