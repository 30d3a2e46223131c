# A stack of numbers.
class Stack
  attr_reader :items

  def initialize
    @items = []
  end

  def push(item)
    if item.nil?
      raise ArgumentError, 'nil'
    else
      @items.push(item)
    end
    self
  end

  def kind
    case @items.size
    when 0 then :empty
    when 1 then :one
    else
      :many
    end
  end

  def sum
    total = 0
    @items.each { |i| total += i > 2 ? i : 0 }
    total
  end

  # :nocov:
  def debug
    puts 'x' if @items
  end
  # :nocov:

  def never
    @items&.clear
    :cleared
  end
end
