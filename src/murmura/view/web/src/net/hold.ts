/** Holds back what moves, on this page alone: other viewers of the same flock see it fly. Independent of the DOM. */

export class Hold<Message> {
  private readonly seen = new Set<string>();
  private readonly kept = new Map<string, Message>();
  private isOn = false;

  constructor(private readonly deliver: (message: Message) => void) {}

  get on(): boolean {
    return this.isOn;
  }

  /** From now on, only the first message of each kind is delivered, and the newest of each when this ends. */
  start(): void {
    this.isOn = true;
  }

  /** A new flock: its first picture is shown. */
  begin(): void {
    this.seen.clear();
    this.kept.clear();
  }

  offer(kind: string, message: Message): void {
    if (this.isOn && this.seen.has(kind)) {
      this.kept.set(kind, message);
      return;
    }
    this.seen.add(kind);
    this.deliver(message);
  }

  end(): void {
    if (!this.isOn) return;
    this.isOn = false;
    const kept = [...this.kept.values()];
    this.kept.clear();
    for (const message of kept) this.deliver(message);
  }
}
