import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { keepChat } from './keep-chat.ts'

const SESSION = '0903ce3a-0835-49bb-b38d-bb0eb606cf98'
const head = (sessionId: string): string => `${JSON.stringify({ sessionId, projectHash: 'p' })}\n`
const prompt = `${JSON.stringify({ id: '1', type: 'user', content: [{ text: 'hello' }] })}\n`

it('renames the chat of a session, and no other', () => {
  const homedir = mkdtempSync(join(tmpdir(), 'steward-gemini-'))
  onTestFinished(() => rmSync(homedir, { recursive: true, force: true }))
  const chats = join(homedir, '.gemini', 'tmp', 'project', 'chats')
  mkdirSync(chats, { recursive: true })
  const put = (name: string, text: string) => writeFileSync(join(chats, name), text)
  put('session-2026-11-17T15-32-0903ce3a.jsonl', `${head(SESSION)}${prompt}`)
  // An empty record of it, and a chat of another session with the same beginning.
  put('session-2026-11-17T15-33-0903ce3a.jsonl', head(SESSION))
  put('session-2026-11-17T15-34-0903ce3a.jsonl', `${head('0903ce3a-other')}${prompt}`)
  const kept = [
    'session-2026-11-17T15-32-0903ce3a083549bbb38dbb0eb606cf98.jsonl',
    'session-2026-11-17T15-33-0903ce3a.jsonl',
    'session-2026-11-17T15-34-0903ce3a.jsonl',
  ]
  keepChat(SESSION, { homedir, env: {} })
  expect(readdirSync(chats).toSorted()).toEqual(kept)
  keepChat(SESSION, { homedir, env: {} })
  expect(readdirSync(chats).toSorted()).toEqual(kept)
  keepChat(SESSION, { homedir: join(homedir, 'nobody'), env: {} })
})
