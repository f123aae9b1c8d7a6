import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { classifyRequest } from './classify-request.ts'
import { GERUNDS, REQUEST_VERBS } from './request-verbs.ts'

const SENTENCES: ReadonlyArray<readonly [string, string]> = [
  // Questions
  ['Where is the retry limit set?', 'question Finding'],
  ['which files import the parser', 'question Finding'],
  ['who wrote the scheduler?', 'question Finding'],
  ['find all usages of createBus', 'question Finding'],
  ['What port does the daemon listen on?', 'question Looking up'],
  ['how does the outbox decide what to send next?', 'question Looking up'],
  ['When did we last deploy?', 'question Looking up'],
  ['explain how the locks work', 'question Looking up'],
  ['Can you tell me what the token file is for?', 'question Looking up'],
  ['show me the open pull requests', 'question Looking up'],
  ['Is the build green?', 'question Checking'],
  ['are there tests for the follower?', 'question Checking'],
  ['does the server check the Origin header?', 'question Checking'],
  ['make sure the links in the docs work', 'question Checking'],
  ['Please check whether the cache is used', 'question Checking'],
  ['the port is taken by whom?', 'question Checking'],
  ['do we support Windows?', 'question Checking'],
  // Commands
  ['fix the login page', 'command Fixing'],
  ['Could you please fix the failing tests?', 'command Fixing'],
  ['resolve the merge conflict in package.json', 'command Fixing'],
  ["there's a typo in the README", 'command Fixing'],
  ['create a new action for podcasts', 'command Creating'],
  ['Can you add a dark mode?', 'command Creating'],
  ["I'd like you to write tests for the parser", 'command Creating'],
  ['implement pagination in the list route', 'command Creating'],
  ['set up a cron flow for the digest', 'command Creating'],
  ["let's build a small dashboard", 'command Creating'],
  ['update the dependencies', 'command Updating'],
  ['Rename the module? No: refactor it', 'command Renaming'],
  ['please change the default port to 4000', 'command Updating'],
  ['The header should be blue', 'command Updating'],
  ['Now clean up the imports', 'command Updating'],
  ['deploy the feeds flow', 'command Deploying'],
  ['run the e2e suite', 'command Running'],
  ['delete the old branches', 'command Deleting'],
  ['commit this and push it', 'command Committing'],
  ['ok, now restart the daemon', 'command Restarting'],
  // Investigations
  ['Why is the start so slow?', 'investigation Investigating'],
  ['why does the test fail on macOS?', 'investigation Debugging'],
  ["what's causing the memory to grow", 'investigation Investigating'],
  ['investigate the timeout in the pusher', 'investigation Investigating'],
  ['figure out which commit broke it', 'investigation Investigating'],
  ['Can you find out why nothing is spoken?', 'investigation Investigating'],
  ['check why the queue is stuck', 'investigation Investigating'],
  ['debug the flaky watcher test', 'investigation Debugging'],
  ['find the bug in the tail reader', 'investigation Debugging'],
  ['the daemon crashes when the disk is full', 'investigation Debugging'],
  ['speech is not working on my machine', 'investigation Debugging'],
  ['analyze the slow queries of last week', 'investigation Analyzing'],
  ['profile the hook program', 'investigation Analyzing'],
  // Research
  ['research speech engines for Linux', 'research Researching'],
  ['read up on the ntfy protocol', 'research Researching'],
  ['find out about terminal tab colours', 'research Researching'],
  ['explore alternatives to SQLite', 'research Exploring'],
  ['compare the three queue libraries', 'research Exploring'],
  ['What are the best static site generators?', 'research Exploring'],
  ['What are the options for voice output?', 'research Exploring'],
  ['look into web push', 'research Looking into'],
  ['I want to learn about workerd', 'research Looking into'],
  // Conversation
  ['hi', 'conversation acknowledgment'],
  ['Good morning!', 'conversation greeting'],
  ['hey there', 'conversation greeting'],
  ['How are you today?', 'conversation greeting'],
  ['thanks', 'conversation acknowledgment'],
  ['Thank you so much!', 'conversation acknowledgment'],
  ['ok', 'conversation acknowledgment'],
  ['yes, go ahead', 'conversation acknowledgment'],
  ['Sounds good, thanks', 'conversation acknowledgment'],
  ['great work', 'conversation acknowledgment'],
  ['8/10', 'conversation acknowledgment'],
  ['Who are you?', 'conversation simple-question'],
  ["What's 17 * 3?", 'conversation simple-question'],
  ['What does idempotent mean?', 'conversation simple-question'],
  ['what is the difference between TCP and UDP?', 'conversation simple-question'],
]

describe('classifyRequest', () => {
  it.each(SENTENCES)('%s: %s', (sentence, expected) => {
    const found = classifyRequest(sentence)
    const second = found.kind === 'conversation' ? found.conversation : found.gerund
    expect(`${found.kind} ${second}`).toBe(expected)
  })

  it('falls back to the most general kind for unknown requests', () => {
    expect(classifyRequest('the northern roof, tiles')).toEqual({
      kind: 'question',
      gerund: 'Checking',
    })
    expect(classifyRequest('القائمة الجانبية').kind).toBe('question')
  })

  it('gives every request a gerund, whatever its text', () => {
    const known = new Set([
      ...Object.values(GERUNDS).flat(),
      ...[...REQUEST_VERBS.values()].map(({ gerund }) => gerund),
    ])
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        const found = classifyRequest(text)
        if (found.kind !== 'conversation') expect(known).toContain(found.gerund)
      }),
    )
  })

  it('is quick on long text', () => {
    const long = 'please '.repeat(20_000)
    expect(classifyRequest(long).kind).toBeDefined()
  })
})
