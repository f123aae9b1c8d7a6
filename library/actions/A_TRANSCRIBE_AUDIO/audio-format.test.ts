import { expect, test } from 'vitest'
import { audioFormat } from './audio-format.ts'

test.each([
  ['RIFF____WAVEfmt ', 'audio/mpeg', 'wav'],
  ['fLaC', '', 'flac'],
  ['OggS', '', 'ogg'],
  ['____ftypM4A ', '', 'm4a'],
  ['\u001aE\u00df\u00a3', '', 'webm'],
  ['\u00ff\u00fb', '', 'mp3'],
  ['????', 'audio/x-wav', 'wav'],
  ['????', 'application/octet-stream', 'mp3'],
  ['', '', 'mp3'],
])('%j of type %j is %s', (head, type, format) => {
  expect(audioFormat(Buffer.from(head, 'latin1'), type)).toBe(format)
})
