/**
 * Runs in the browser. Browsers only speak after a user action, so speaking starts with the button;
 * the stream is then reopened as a speaking one.
 */
export const PAGE_SCRIPT = `const find = (id) => document.getElementById(id)
const state = find('state')
const caption = find('caption')
const note = find('note')
const earlier = find('history')
const button = find('speak')
const MOST_SHOWN = 50
const synthesis = window.speechSynthesis
let stream
let speaks = false
let speaking

const remember = () => {
  if (caption.textContent === '') return
  const item = document.createElement('li')
  item.dir = 'auto'
  item.textContent = caption.textContent
  earlier.prepend(item)
  while (earlier.children.length > MOST_SHOWN) earlier.lastElementChild.remove()
}

const report = (id, outcome, reason) =>
  fetch('/api/voice/utterances/' + encodeURIComponent(id), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(reason === undefined ? { outcome } : { outcome, reason }),
  }).catch((error) => {
    note.textContent = 'Steward did not accept the report: ' + error.message
  })

const speak = ({ id, text, volume, rate, voice }) => {
  if (synthesis === undefined) return report(id, 'failed', 'this browser has no speech')
  const utterance = new SpeechSynthesisUtterance(text)
  utterance.volume = volume
  utterance.rate = rate
  const named = synthesis.getVoices().find(({ name }) => name === voice)
  if (named !== undefined) utterance.voice = named
  speaking = utterance
  utterance.onend = () => {
    if (speaking === utterance) report(id, 'spoken')
  }
  utterance.onerror = ({ error }) => {
    if (speaking === utterance) report(id, 'failed', error)
  }
  synthesis.speak(utterance)
}

const listen = () => {
  stream?.close()
  stream = new EventSource('/api/voice/stream?speak=' + speaks)
  const on = (kind, act) => stream.addEventListener(kind, ({ data }) => act(JSON.parse(data)))
  on('ready', () => {
    state.textContent = speaks ? 'Listening; this page speaks' : 'Listening; captions only'
  })
  on('caption', ({ id, text, title, agent, spoken }) => {
    remember()
    caption.textContent = text
    caption.dataset.id = id
    caption.classList.toggle('silent', !spoken)
    note.textContent = [title, agent, spoken ? null : 'not spoken'].filter(Boolean).join(' · ')
  })
  on('ended', ({ id, outcome, detail }) => {
    if (caption.dataset.id === id && outcome === 'failed') note.textContent = 'Not spoken: ' + detail
  })
  on('speak', speak)
  on('cancel', () => {
    speaking = undefined
    synthesis?.cancel()
  })
  stream.onerror = () => {
    state.textContent = 'Not connected; trying again'
  }
}

button.addEventListener('click', () => {
  speaks = !speaks
  button.setAttribute('aria-pressed', String(speaks))
  // Closing the stream already tells the daemon that this page stopped speaking.
  speaking = undefined
  synthesis?.cancel()
  listen()
})
listen()
`
