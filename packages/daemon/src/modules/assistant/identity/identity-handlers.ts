import { API, type Personality, StewardError } from '@steward/contract'
import { handle } from '../../../module.ts'
import type { AssistantFiles } from '../files/assistant-files.ts'
import type { AssistantModulePorts } from '../ports.ts'
import { AVATAR_POLICY, readAvatar } from './avatar.ts'
import { drawAvatar } from './draw-avatar.ts'
import { readPersonality, updateTraits } from './personality.ts'
import { readIdentity } from './read-identity.ts'

interface IdentityPorts extends Pick<AssistantModulePorts, 'now' | 'settings'> {
  files: AssistantFiles
  onChange: () => void
}

/** Show the assistant's name, avatar and character, and change its traits. */
export const createIdentityHandlers = ({ files, now, settings, onChange }: IdentityPorts) => {
  const startedMs = now()

  /**
   * The traits for drawing an avatar; without readable files a plain avatar is better than an
   * error.
   */
  const traitsOrNone = async (): Promise<Personality['traits']> => {
    try {
      return (await readPersonality(files)).traits
    } catch (thrown) {
      if (thrown instanceof StewardError && thrown.code === 'assistant_unreadable') return {}
      throw thrown
    }
  }

  return [
    handle(API.getAvatar, async () => {
      const own = await readAvatar(files.root)
      const { name, color } = await readIdentity(files, settings())
      const type = own?.type ?? 'image/svg+xml'
      const body = own?.bytes ?? Buffer.from(drawAvatar(name, color, await traitsOrNone()))
      return new Response(new Uint8Array(body), {
        headers: { 'content-type': type, 'content-security-policy': AVATAR_POLICY },
      })
    }),
    handle(API.getAssistantIdentity, async () => ({
      ...(await readIdentity(files, settings())),
      has_avatar: (await readAvatar(files.root).catch(() => undefined)) !== undefined,
      uptime_ms: now() - startedMs,
    })),
    handle(API.getPersonality, () => readPersonality(files)),
    handle(API.updateTraits, async ({ body }) => {
      const updated = await updateTraits(files, body)
      onChange()
      return { ok: true as const, updated }
    }),
  ]
}
