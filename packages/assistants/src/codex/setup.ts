import type { AssistantSetup } from '../assistant.ts'
import { establishTrust, findUntrusted, removeTrust } from './trust.ts'

export const codexSetup: AssistantSetup = {
  afterInstall: establishTrust,
  afterUninstall: removeTrust,
  inspect: async ({ file, state }, place) =>
    state === 'missing' ? {} : { untrusted: (await findUntrusted(file, place)) ?? null },
  findProblems: ({ file, untrusted }, ports) => {
    if (untrusted === null || untrusted.length === 0) return []
    return [
      {
        check: 'hooks codex',
        status: 'fail',
        message: `${untrusted.length} hooks are not trusted: Codex skips them silently`,
        repair: `${ports.command} hooks install --host codex, or accept them in codex with /hooks`,
        change: "Codex's config.toml will trust Steward's hooks in their current form.",
        fix: async () => (await establishTrust(file, ports)) ?? 'the hooks are trusted already',
      },
    ]
  },
}
